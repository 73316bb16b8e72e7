#include "cli/running/junit_file.h"

#include <catch2/catch.hpp>

using namespace tapedeck::cli;

TEST_CASE("JUnit file: reads tests and failures of any runner") {
  struct Case {
    const char* xml;
    TestResults results;
  };
  const std::vector<Case> cases = {
      {"", {}},
      {"not XML", {}},
      {R"(<?xml version="1.0"?><testsuites><testsuite name="s"><testcase classname="a.B" name="c"/></testsuite></testsuites>)",
       {{"a.B.c", false}}},
      {R"(<testcase name="one" time="0.1"></testcase><testcase name='two'><failure message="x &lt; y">text</failure></testcase>)",
       {{"one", false}, {"two", true}}},
      {R"(<testcase classname="k" name="e"><error/></testcase><testcase classname="k" name="s"><skipped/></testcase>)",
       {{"k.e", true}, {"k.s", false}}},
      {R"(<testcase name="a&amp;b &#x41;&#66; &unknown;"/>)", {{"a&b AB &unknown;", false}}},
      {"<testcase name=\"out\"><system-out><![CDATA[<failure/>]]></system-out><!-- <failure/> --></testcase>",
       {{"out", false}}},
      {R"(<testcase name="x > y"><failure/></testcase><failure/>)", {{"x > y", true}}},
      {R"(<testcase name="twice"><failure/></testcase><testcase name="twice"/>)", {{"twice", true}}},
      {R"(<testcase name="cut"><failure mess)", {{"cut", true}}}};
  for (const Case& one : cases) {
    CAPTURE(one.xml);
    CHECK(junit_results(one.xml) == one.results);
  }
}

TEST_CASE("JUnit file: replaces {run} in the path by the number of the run") {
  CHECK(path_of_run("a/r.xml", 7) == "a/r.xml");
  CHECK(path_of_run("a/{run}/r-{run}.xml", 7) == "a/7/r-7.xml");
}
