// A stack machine for the opcodes of data, as Python's pickletools describes them. The opcodes that
// name or call code (GLOBAL, REDUCE, BUILD, INST, OBJ, NEWOBJ, …) are unknown to it.
#include "diagnose/hang/document.h"

#include <fmt/format.h>

#include <bit>
#include <unordered_map>

namespace linerate::hang {
namespace {

constexpr std::size_t kMostValues = 4'000'000;
constexpr std::size_t kMostMarks = 64;  // containers that are open at once

class PickleReader {
 public:
  explicit PickleReader(std::string_view bytes) : bytes_(bytes) {}

  Result<Document> read() {
    for (;;) {
      const auto begin = at_;
      const auto opcode = static_cast<unsigned char>(number(1));
      const bool known = number_value(opcode) || text_value(opcode) || container(opcode) ||
                         tuple(opcode) || memo(opcode) || opcode == '.';
      if (why_.empty() && !known)
        fail(fmt::format("opcode 0x{:02x} at byte {} is none of plain data, and is not executed",
                         opcode, begin));
      if (document_.size() > kMostValues) fail("it holds too many values");
      if (marks_.size() > kMostMarks) fail("it is too deep");
      if (!why_.empty()) return Failure{fmt::format(": it is no pickle to read: {}.", why_)};
      if (opcode == '.') break;
    }
    if (stack_.size() != 1 || !marks_.empty())
      return Failure{": it is no pickle to read: it does not end in one value."};
    document_.root = stack_.front();
    return std::move(document_);
  }

 private:
  void fail(std::string_view why) {
    if (why_.empty()) why_ = why;
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      fail("it is cut off");
      at_ = bytes_.size();
      return {};
    }
    const auto taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }

  // Little-endian, without a sign.
  std::uint64_t number(std::size_t count) {
    std::uint64_t value = 0;
    const auto digits = take(count);
    for (std::size_t i = 0; i < digits.size(); ++i)
      value |= std::uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
    return value;
  }

  // Two's complement of that many bytes.
  std::int64_t signed_number(std::size_t count) {
    if (count == 0) return 0;
    const auto shift = 64 - 8 * count;
    return std::bit_cast<std::int64_t>(number(count) << shift) >> shift;
  }

  bool push(Value value) {
    stack_.push_back(document_.add(std::move(value)));
    return true;
  }
  bool push_integer(std::int64_t value, ValueKind kind = ValueKind::integer) {
    return push({.kind = kind, .integer = value});
  }

  // Whether so many values lie above the last mark; a failure if not.
  bool has(std::size_t count) {
    const auto floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() >= floor + count) return true;
    fail("a value is missing");
    return false;
  }

  // The last `count` values, off the stack.
  std::vector<std::uint32_t> pop(std::size_t count) {
    if (!has(count)) return {};
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<std::uint32_t> values(first, stack_.end());
    stack_.erase(first, stack_.end());
    return values;
  }

  // The values above the last mark, off the stack with it.
  std::vector<std::uint32_t> pop_marked() {
    if (marks_.empty()) return fail("a mark is missing"), std::vector<std::uint32_t>{};
    auto values = pop(stack_.size() - marks_.back());
    marks_.pop_back();
    return values;
  }

  bool number_value(unsigned char opcode) {
    switch (opcode) {
      case 'K':
        return push_integer(static_cast<std::int64_t>(number(1)));
      case 'M':
        return push_integer(static_cast<std::int64_t>(number(2)));
      case 'J':
        return push_integer(signed_number(4));
      case 0x8a: {  // LONG1
        const auto count = number(1);
        if (count > 8) fail("a number is too large");
        return push_integer(count > 8 ? 0 : signed_number(count));
      }
      case 'G': {  // big-endian
        std::uint64_t bits = 0;
        for (const char digit : take(8)) bits = bits << 8U | static_cast<unsigned char>(digit);
        return push({.kind = ValueKind::real, .real = std::bit_cast<double>(bits)});
      }
      case 0x88:
        return push_integer(1, ValueKind::boolean);
      case 0x89:
        return push_integer(0, ValueKind::boolean);
      case 'N':
        return push({});
      default:
        return false;
    }
  }

  bool text_value(unsigned char opcode) {
    const auto text_of = [&](std::size_t digits) {
      return push({.kind = ValueKind::text, .text = std::string(take(number(digits)))});
    };
    switch (opcode) {
      case 0x8c:
        return text_of(1);
      case 'X':
        return text_of(4);
      case 0x8d:
        return text_of(8);
      case 0x80:
        return number(1), true;  // the protocol
      case 0x95:
        return take(8), true;  // a frame's length
      default:
        return false;
    }
  }

  bool container(unsigned char opcode) {
    switch (opcode) {
      case '(':
        return marks_.push_back(stack_.size()), true;
      case ']':
        return push({.kind = ValueKind::list});
      case '}':
        return push({.kind = ValueKind::dict});
      case 'a':
        return append(pop(1), ValueKind::list);
      case 'e':
        return append(pop_marked(), ValueKind::list);
      case 's':
        return append(pop(2), ValueKind::dict);
      case 'u':
        return append(pop_marked(), ValueKind::dict);
      default:
        return false;
    }
  }

  bool append(const std::vector<std::uint32_t>& values, ValueKind kind) {
    if (!has(1)) return true;
    auto& into = document_.at(stack_.back());
    if (into.kind != kind) fail("a value is of another kind");
    if (kind == ValueKind::dict && values.size() % 2 != 0) fail("a key has no value");
    if (why_.empty()) into.items.insert(into.items.end(), values.begin(), values.end());
    return true;
  }

  bool tuple(unsigned char opcode) {
    const auto of = [&](std::vector<std::uint32_t> values) {
      return push({.kind = ValueKind::list, .items = std::move(values)});
    };
    switch (opcode) {
      case ')':
        return of({});
      case 't':
        return of(pop_marked());
      case 0x85:
        return of(pop(1));
      case 0x86:
        return of(pop(2));
      case 0x87:
        return of(pop(3));
      default:
        return false;
    }
  }

  bool memo(unsigned char opcode) {
    const auto put = [&](std::uint64_t name) {
      if (has(1)) memo_[name] = stack_.back();
      return true;
    };
    const auto get = [&](std::uint64_t name) {
      const auto known = memo_.find(name);
      if (known == memo_.end()) return fail("a value is used before it is there"), true;
      return stack_.push_back(known->second), true;
    };
    switch (opcode) {
      case 'q':
        return put(number(1));
      case 'r':
        return put(number(4));
      case 0x94:
        return put(memo_.size());
      case 'h':
        return get(number(1));
      case 'j':
        return get(number(4));
      default:
        return false;
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::string why_;
  Document document_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::unordered_map<std::uint64_t, std::uint32_t> memo_;
};

}  // namespace

Result<Document> read_pickle(std::string_view bytes) { return PickleReader(bytes).read(); }

}  // namespace linerate::hang
