# Run by cpack before it packs: what Debian Policy wants in each package beside the files of the installation.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
string(TIMESTAMP year "%Y" UTC)
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(stage ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  string(TOUPPER ${component} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(doc ${stage}/share/doc/${package})
  file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: TableQueue
Upstream-Contact: ${CPACK_PACKAGE_CONTACT}

Files: *
Copyright: ${year} the TableQueue authors
License: Apache-2.0
 On Debian systems the text of the Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0.
")
  file(WRITE ${doc}/changelog.Debian "tablequeue (${version}) unstable; urgency=medium

  * Built by cpack; what changed is in TableQueue's CHANGELOG.md.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  if(EXISTS ${stage}/share/zsh)
    file(RENAME ${stage}/share/zsh/site-functions ${stage}/share/zsh/vendor-completions)
  endif()
  file(GLOB_RECURSE pages ${stage}/share/man/*)
  execute_process(COMMAND gzip -9nf ${doc}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD_RECURSE ${stage}/share FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
       DIRECTORY_PERMISSIONS ${CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
endforeach()
