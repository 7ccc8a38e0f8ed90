# Writes OUT, a C++ table of the JSON files below DIR: one row of kind, name and text per file.
file(GLOB_RECURSE files RELATIVE ${DIR} ${DIR}/*.json)
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(kind ${file} DIRECTORY)
  get_filename_component(name ${file} NAME_WLE)
  file(READ ${DIR}/${file} text)
  string(APPEND rows "    {\"${kind}\", \"${name}\", R\"json(${text})json\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"models/catalog/embedded.hpp\"

namespace fleetsim {
namespace {

constexpr EmbeddedFile kFiles[] = {
${rows}};

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return kFiles; }

}  // namespace fleetsim
")
