# Where things stand once installed: PREFIX/bin/opalign finds PREFIX/share/opalign. A wheel is
# unpacked by pip into such a prefix, but for the package opalign, which goes where imports look.
set(bin bin)
set(share share/opalign)
if(OPALIGN_PYTHON AND SKBUILD)
  set(bin ${SKBUILD_SCRIPTS_DIR})
  set(share ${SKBUILD_DATA_DIR}/share/opalign)
  install(TARGETS _core LIBRARY DESTINATION ${SKBUILD_PLATLIB_DIR}/opalign)
  install(FILES python/opalign/__init__.py python/opalign/_core.pyi python/opalign/py.typed
          DESTINATION ${SKBUILD_PLATLIB_DIR}/opalign)
endif()
install(TARGETS opalign RUNTIME DESTINATION ${bin})
install(DIRECTORY catalog suites python DESTINATION ${share}
        PATTERN __pycache__ EXCLUDE PATTERN _core.pyi EXCLUDE PATTERN py.typed EXCLUDE)
