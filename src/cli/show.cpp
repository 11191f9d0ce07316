#include "cli/context.h"
namespace faultline::cli { void addShow(CLI::App&, Context&){} }
