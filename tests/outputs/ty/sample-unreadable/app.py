name = "été"
