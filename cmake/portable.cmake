# OPALIGN_PORTABLE: the libraries that are not part of every Linux are linked statically.
# OPALIGN_FMT is the target of fmt; it is found after this file.
set(OPALIGN_FMT fmt::fmt)
if(OPALIGN_PORTABLE)
  list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES .a)
  add_link_options(-static-libstdc++ -static-libgcc)
  # Debian has no libfmt.a, and fmt as headers alone costs five seconds a file.
  add_library(opalign_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
  set(OPALIGN_FMT opalign_fmt)
endif()
