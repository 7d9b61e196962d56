NAME = "ÿþ"
