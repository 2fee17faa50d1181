#!/bin/sh
[ "$1" = --version ] && { echo Kubernetes v1.36.3; exit; }
echo 'E1123 10:00:00.000000 1 run.go:72] "command failed" err="bind: address already in use"' >&2
exit 1
