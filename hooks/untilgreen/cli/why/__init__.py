"""Why a stop went as it did: traces, and stops played again."""
