#include "lib/command_doc.h"

#include <gmock/gmock.h>

namespace longshore::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

CommandDoc whole() {
  CommandDoc run;
  run.name = "run";
  run.description =
      "Run a program: it\nis not changed.\n\n  longshore run -x\n\n.More of it's words.";
  run.usage = "longshore run [options] command";
  run.footer = "Exit codes:\n  2  wrong";
  run.runs_command = true;
  run.options = {{{"--mpi"}, "VALUE", false, {"openmpi", "mpich"}, "which it's"},
                 {{"-v", "--verbose"}, "", false, {}, "say [more]: much"}};
  CommandDoc top;
  top.name = "longshore";
  top.description = "A library.";
  top.commands = {run};
  return top;
}

TEST(FirstSentence, EndsAtAStopAndCrossesLines) {
  EXPECT_EQ(first_sentence("One\nline. Two."), "One line");
  EXPECT_EQ(first_sentence("v1.2 is out: hear"), "v1.2 is out");
  EXPECT_EQ(first_sentence("no stop"), "no stop");
  EXPECT_EQ(first_sentence("Longshore: a library. More."), "a library");
  EXPECT_EQ(first_sentence("Longshore:"), "");
}

TEST(ManPage, HasSectionsAndNoCommandsByAccident) {
  const auto all = whole();
  const auto page = man_page(all, all.commands[0], "1.0");
  EXPECT_THAT(page, HasSubstr(".TH longshore\\-run 1 \"\" \"longshore 1.0\""));
  EXPECT_THAT(page, HasSubstr("longshore\\-run \\- Run a program"));
  EXPECT_THAT(page, HasSubstr(".nf\nlongshore run \\-x\n.fi"));
  EXPECT_THAT(page, HasSubstr("\n\\&.More"));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS"));
  EXPECT_THAT(page, HasSubstr(".BR longshore (1)"));
  EXPECT_THAT(man_page(all, all, "1.0"), HasSubstr(".BR longshore\\-run (1)"));
}

TEST(Completions, KnowCommandsOptionsAndValues) {
  const auto bash = bash_completion(whole());
  EXPECT_THAT(bash, HasSubstr("options='--mpi -v --verbose'"));
  EXPECT_THAT(bash, HasSubstr("--mpi) choices='openmpi mpich' ;;"));
  const auto zsh = zsh_completion(whole());
  EXPECT_THAT(zsh, HasSubstr("(openmpi mpich)"));
  EXPECT_THAT(zsh, HasSubstr("say |more|; much"));
  EXPECT_THAT(zsh, Not(HasSubstr("it's")));
  const auto fish = fish_completion(whole());
  EXPECT_THAT(fish, HasSubstr("-s v -l verbose"));
  EXPECT_THAT(fish, HasSubstr("-a 'openmpi mpich'"));
}

}  // namespace
}  // namespace longshore::cli
