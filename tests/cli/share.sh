#!/bin/bash
# share.sh: the generated man pages are clean, and bash completes what --help names.
set -uo pipefail
share=$LONGSHORE_BUILD_DIR/share
failed=0

complain() {
  failed=$((failed + 1))
  echo "$*"
}

# Subcommands as --help lists them.
mapfile -t commands < <("$LONGSHORE_CLI" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p')
[ "${#commands[@]}" -ge 3 ] || complain "--help lists: ${commands[*]}"

for page in longshore "${commands[@]/#/longshore-}"; do
  file=$share/man/man1/$page.1
  [ -f "$file" ] || complain "no page $file"
  said=$(groff -man -Tutf8 -ww -z "$file" 2>&1)
  [ -z "$said" ] || complain "$file: $said"
  text=$(groff -man -Tascii -P-cbou "$file" 2>/dev/null)
  for section in NAME SYNOPSIS DESCRIPTION OPTIONS; do
    grep -q "^$section" <<<"$text" || complain "$file has no $section"
  done
done
for page in longshore longshore-run longshore-bench longshore-explain; do
  grep -q '^.SH EXIT STATUS' "$share/man/man1/$page.1" || complain "$page: no exit status"
done
! grep -rq generate "$share/man" || complain "the hidden command shows in a page"

# Every long option of --help is in the page.
for command in "${commands[@]}"; do
  for option in $("$LONGSHORE_CLI" "$command" --help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    grep -qF -- "${option//-/\\-}" "$share/man/man1/longshore-$command.1" ||
      complain "longshore-$command.1 has no $option"
  done
done

# shellcheck disable=SC1091
source "$share/bash-completion/completions/longshore"
# completes WORD... : what bash offers for the last word.
completes() {
  COMP_WORDS=(longshore "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _longshore 2>/dev/null
  printf '%s\n' "${COMPREPLY[@]}"
}
offers() {
  local wanted=$1 offered
  shift
  offered=$(completes "$@")  # not piped: grep -q may end before printf, which then fails
  grep -qxF -- "$wanted" <<<"$offered" || complain "no $wanted for: $*"
}
touch a-file
for command in "${commands[@]}"; do
  offers "$command" "${command:0:2}"
  offers --help "$command" --he
done
offers --stats run --st
offers openmpi run --mpi o
offers --pattern explain --pa
offers a-file explain a-f
offers a-file run --trace a-f
offers bash run bas
offers a-file run --stats cat a-f
! completes generat | grep -q generate || complain "the hidden command is completed"

for shell in zsh fish; do
  file=$(ls "$share/$shell"/*/*longshore*)
  grep -q explain "$file" || complain "$file does not know explain"
  if command -v "$shell" >/dev/null; then
    "$shell" -n "$file" || complain "$file: $shell does not take it"
  else
    echo "SKIPPED: no $shell here to check $file"
  fi
done

# fish says without a terminal what it would offer.
if command -v fish >/dev/null; then
  export HOME=$PWD
  for pair in 'ex:explain' 'run --st:--stats' 'run --mpi o:openmpi'; do
    offered=$(fish -c "source $share/fish/vendor_completions.d/longshore.fish
                       complete -C 'longshore ${pair%%:*}'" | cut -f 1)
    grep -qx -- "${pair#*:}" <<<"$offered" ||
      complain "fish: no ${pair#*:} for ${pair%%:*}"
  done
fi

echo "$failed failed"
[ "$failed" -eq 0 ]
