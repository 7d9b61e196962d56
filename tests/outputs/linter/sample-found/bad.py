import sys, os
x=1
def f():
  return  {"a":1}
