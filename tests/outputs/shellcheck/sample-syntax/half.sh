#!/bin/bash
if true; then
