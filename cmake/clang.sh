#!/usr/bin/env bash
# Prints the newest of clang++ 19, 18 and 17 that is here with its sanitizers; exit code 1 where
# there is none. Older ones do not know all CPU features which our kernels ask for.
for version in 19 18 17; do
  if command -v "clang++-$version" >/dev/null && echo 'int main() {}' |
    "clang++-$version" -fsanitize=thread -x c++ - -o /dev/null 2>/dev/null; then
    command -v "clang++-$version"
    exit 0
  fi
done
exit 1
