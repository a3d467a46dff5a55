// Memory that lies in a file: the system writes it to disk when others need the pages.
#pragma once

#include "comm/buffer.h"

#include <cstddef>
#include <optional>
#include <string>

namespace linerate::trainers {

// `bytes` zeros, mapped from a file of `folder` that has no name there: the system frees it with
// the buffer, or with the process, however that ends. The disk has room for all of it. Throws Error
// where it has not, or where no file can be made. REQUIRES: bytes > 0.
Buffer mapped_file(const std::string& folder, std::size_t bytes);

// Nothing, or the sentence why no file can be made in `folder`.
std::optional<std::string> mapped_file_refusal(const std::string& folder);

// Before `part` of a mapped file is used: it is read from the disk, in single pages. Pages that
// come by their use alone are read ahead in blocks as large as the disk's readahead, of which each
// is mapped whole: megabytes for each array.
void read_ahead(View part);

// The pages around `part` of a mapped file leave the process's memory. What they hold stays, and
// they come back when they are used.
void leave_memory(View part);

}  // namespace linerate::trainers
