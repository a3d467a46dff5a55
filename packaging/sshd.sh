#!/bin/sh
# sshd in the image: it makes the host keys that are missing when it starts, each container its own.
# The image has none, because all who pull it would have the same.
ssh-keygen -A > /dev/null
exec /usr/sbin/sshd.distrib "$@"
