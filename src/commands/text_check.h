// Whether what a command is given to read is text, by its first bytes.
#pragma once

#include <string>
#include <string_view>

namespace linerate {

// What a file is that begins so and is no text, with what makes text of it, as a sentence: "it is
// compressed by gzip; …". `command` reads from stdin. Empty: it may be text.
std::string why_no_text(std::string_view beginning, std::string_view command);

// Whether more of the block are control characters than text has, with colours and progress bars.
// NULs do not count: a log has them where its disk was full or its node went down.
bool has_many_controls(std::string_view block);

}  // namespace linerate
