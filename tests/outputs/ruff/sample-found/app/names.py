import os


def pick(options=[], strict=True):
    # value = options[0]
    try:
        return options[0]._name
    except:
        raise ValueError("nothing to pick") 
