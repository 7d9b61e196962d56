#!/bin/sh
unused=1
rm -rf $1/*
if [ $x == 1 ]; then echo `pwd`; fi
cd /tmp
