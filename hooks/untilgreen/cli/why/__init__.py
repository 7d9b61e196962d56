"""Why a stop went as it did: `explain`, `simulate`, `record`."""
