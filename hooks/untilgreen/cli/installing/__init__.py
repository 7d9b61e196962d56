"""What `untilgreen init` and `untilgreen uninstall` do: a wish, a plan, the files; and the way back."""
