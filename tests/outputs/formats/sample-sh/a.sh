#!/bin/sh
x=1
if [ $y = 1 ]; then
  echo `ls`
