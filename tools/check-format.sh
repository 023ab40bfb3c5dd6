#!/usr/bin/env bash
# check-format.sh [--mend] - says which C sources and headers are not as clang-format 19 writes them (.clang-format);
# with --mend it rewrites them. Other versions differ in places, so no other is taken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

format=clang-format-19
command -v "$format" >/dev/null || { echo "check-format: $format is not installed (scripts/setup.sh --ci)" >&2; exit 2; }

case ${1:-} in
'') git ls-files -z '*.c' '*.h' | xargs -0 "$format" --dry-run -Werror ;;
--mend) git ls-files -z '*.c' '*.h' | xargs -0 "$format" -i ;;
*) echo "check-format: unknown argument '$1'; usage: tools/check-format.sh [--mend]" >&2; exit 2 ;;
esac
