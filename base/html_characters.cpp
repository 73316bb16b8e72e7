#include "base/html_characters.h"

#include <algorithm>
#include <utility>

namespace tapedeck::base {

std::uint32_t named_character(std::string_view name) {
  static constexpr std::pair<std::string_view, std::uint32_t> ascii[] = {
      {"Tab", '\t'},   {"NewLine", '\n'}, {"excl", '!'},   {"quot", '"'},   {"num", '#'},    {"dollar", '$'},
      {"percnt", '%'}, {"amp", '&'},      {"apos", '\''},  {"lpar", '('},   {"rpar", ')'},   {"ast", '*'},
      {"plus", '+'},   {"comma", ','},    {"period", '.'}, {"sol", '/'},    {"colon", ':'},  {"semi", ';'},
      {"lt", '<'},     {"equals", '='},   {"gt", '>'},     {"quest", '?'},  {"commat", '@'}, {"lsqb", '['},
      {"lbrack", '['}, {"bsol", '\\'},    {"rsqb", ']'},   {"rbrack", ']'}, {"Hat", '^'},    {"lowbar", '_'},
      {"grave", '`'},  {"lcub", '{'},     {"lbrace", '{'}, {"verbar", '|'}, {"vert", '|'},   {"rcub", '}'},
      {"rbrace", '}'}, {"euro", 0x20AC}};
  // Starts with the character 160.
  static constexpr std::string_view latin =
      "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute "
      "micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig "
      "Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times "
      "Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave "
      "eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave "
      "uacute ucirc uuml yacute thorn yuml";
  for (const auto& [word, value] : ascii) {
    if (name == word) return value;
  }
  constexpr std::uint32_t first_latin = 160;
  std::uint32_t value = first_latin;
  for (std::size_t at = 0; at < latin.size(); ++value) {
    const std::size_t end = std::min(latin.find(' ', at), latin.size());
    if (latin.substr(at, end - at) == name) return value;
    at = end + 1;
  }
  return 0;
}

}  // namespace tapedeck::base
