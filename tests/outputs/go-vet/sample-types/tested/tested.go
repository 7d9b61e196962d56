package tested

// A is a number.
var A = 1
