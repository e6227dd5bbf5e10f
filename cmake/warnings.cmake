# One INTERFACE target that every opalign target links: warnings and sanitizers, nothing else.
add_library(opalign_warnings INTERFACE)
# Without -Wnull-dereference and -Wrestrict: GCC 12 sees them in std::string where there are none.
target_compile_options(opalign_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wduplicated-cond -Wlogical-op -Wno-restrict
  $<$<BOOL:${OPALIGN_WERROR}>:-Werror>)
foreach(sanitizer IN LISTS OPALIGN_SANITIZE)
  # Without no-recover, undefined behaviour is printed and the test passes.
  add_compile_options(-fsanitize=${sanitizer} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizer})
endforeach()
