#include "backends/gloo/failure.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <gloo/common/error.h>

#include <exception>

namespace linerate::gloo {

namespace {

std::string_view behind(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  return at == std::string_view::npos ? text : text.substr(at + mark.size());
}

}  // namespace

std::string_view without_source(std::string_view text) {
  if (!text.starts_with('[')) return trim(text);
  const bool enforced = text.starts_with("[enforce fail");
  const auto said = behind(text, "] ");
  const auto reason = trim(enforced ? behind(said, ". ") : said);
  return reason.empty() ? said : reason;
}

void rethrow_as_error(std::string_view call) {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const ::gloo::IoException& error) {
    throw PeerFailure(fmt::format("Gloo: {} was cut off: {}.", call, without_source(error.what())));
  } catch (const std::exception& error) {
    throw Error(fmt::format("Gloo: {} failed: {}.", call, without_source(error.what())));
  }
}

}  // namespace linerate::gloo
