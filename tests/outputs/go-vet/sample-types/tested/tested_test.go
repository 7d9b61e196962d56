package tested

var a string = A
var b string = A
