VALUE = 1 
if VALUE:
	wrong = 2
