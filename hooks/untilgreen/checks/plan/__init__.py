"""Which checks a project has, where, and with which tool."""
