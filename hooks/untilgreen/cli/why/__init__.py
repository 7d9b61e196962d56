"""Why a stop went as it did: `explain`."""
