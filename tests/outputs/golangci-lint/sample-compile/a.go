package a

func A() int { return missing }
