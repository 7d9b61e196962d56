#!/bin/sh
echo $1
x=$(ls)
