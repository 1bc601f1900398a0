// The files of sql/, one function a folder; the definitions are made at build time.
#pragma once

#include <vector>

#include "tq/dialect.hpp"

namespace tq::embedded {

std::vector<SqlFile> mysql();
std::vector<SqlFile> oracle();
std::vector<SqlFile> postgresql();
std::vector<SqlFile> sqlite();
std::vector<SqlFile> sqlserver();

}  // namespace tq::embedded
