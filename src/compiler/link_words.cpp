#include "compiler/link_words.h"

#include "compiler/options.h"

#include <algorithm>

namespace faultline::compiler {

namespace {

constexpr std::string_view kDropped[] = {"-s",
                                         "-S",
                                         "-c",
                                         "-MD",
                                         "-MMD",
                                         "-MP",
                                         "-MG",
                                         "-MV",
                                         "--",
                                         "-fwhole-program-vtables",
                                         "-fsplit-lto-unit",
                                         "-funified-lto",
                                         "-ffat-lto-objects",
                                         "-fvirtual-function-elimination",
                                         "-fno-split-lto-unit",
                                         "-v",
                                         "--verbose"};
constexpr std::string_view kDroppedPrefixes[] = {"-flto",           "-save-temps",    "--save-temps",
                                                 "-fthinlto-index", "-fsanitize=cfi", "-ftime-trace",
                                                 "-foffload-lto"};
constexpr std::string_view kDroppedWithValue[] = {"-o", "-x", "-MF", "-MT", "-MQ", "-MJ", "-include-pch"};

// Pieces of -Wl, and words after -Xlinker.
constexpr std::string_view kDroppedPieces[] = {"-s", "--strip-all", "-S", "--strip-debug", "--cref",
                                               "-M", "--print-map", "-t", "--trace"};
constexpr std::string_view kDroppedPiecePrefixes[] = {
    "-Map=",  "--Map=",     "-plugin-opt",  "--plugin-opt", "--dependency-file=",
    "--lto-", "--thinlto-", "--out-implib="};
constexpr std::string_view kDroppedPiecesWithValue[] = {"-Map", "--Map", "--dependency-file", "-o"};

template <class Table> bool has(const Table& table, std::string_view word) {
  return std::ranges::find(table, word) != std::end(table);
}
template <class Table> bool hasPrefixOf(const Table& table, std::string_view word) {
  return std::ranges::any_of(table, [&](std::string_view prefix) { return word.starts_with(prefix); });
}

std::vector<std::string> piecesOf(const std::string& word) {
  std::vector<std::string> pieces;
  for (size_t from = 4; from <= word.size();) {
    size_t comma = std::min(word.find(',', from), word.size());
    pieces.push_back(word.substr(from, comma - from));
    from = comma + 1;
  }
  return pieces;
}

class Splitter {
public:
  explicit Splitter(const LinkRecord& link) : link_(link) {}

  std::vector<LinkWord> split() {
    while (next_ < link_.argv.size()) {
      if (const LinkInput* input = inputAt(next_, -1))
        takeInput(*input);
      else
        takeOption(link_.argv[next_]);
    }
    flushPieces();
    return std::move(words_);
  }

private:
  const LinkInput* inputAt(size_t arg, int piece) const {
    for (const LinkInput& input : link_.inputs)
      if (input.arg == arg && input.piece == piece) return &input;
    return nullptr;
  }

  void takeInput(const LinkInput& input) {
    flushPieces();
    std::string text =
        input.width == 2 ? link_.argv[input.arg] + link_.argv[input.arg + 1] : link_.argv[input.arg];
    words_.push_back({text, input, whole_});
    next_ += input.width;
  }

  void takeOption(const std::string& word) {
    ++next_;
    if (word.starts_with("-Wl,")) return takeLinkerPieces(word, next_ - 1);
    if ((word == "-Xlinker" || word == "--for-linker") && next_ < link_.argv.size())
      return takePiece(link_.argv[next_++]);
    flushPieces();
    if (has(kDroppedWithValue, word)) {
      ++next_;
      return;
    }
    bool joined = hasPrefixOf(std::array<std::string_view, 2>{"-o", "-x"}, word) && !word.starts_with("-obj");
    if (has(kDropped, word) || hasPrefixOf(kDroppedPrefixes, word) || joined) return;
    words_.push_back({word, std::nullopt, whole_});
    if (valueIsNextWord(word) && next_ < link_.argv.size())
      words_.push_back({link_.argv[next_++], std::nullopt, whole_});
  }

  void takeLinkerPieces(const std::string& word, size_t arg) {
    std::vector<std::string> pieces = piecesOf(word);
    for (size_t i = 0; i < pieces.size(); ++i) {
      const LinkInput* input = inputAt(arg, static_cast<int>(i));
      if (!input) {
        takePiece(pieces[i]);
        continue;
      }
      flushPieces();
      words_.push_back({pieces[i], *input, whole_});
    }
  }

  void takePiece(const std::string& piece) {
    if (dropNext_) {
      dropNext_ = false;
      return;
    }
    dropNext_ = has(kDroppedPiecesWithValue, piece);
    if (dropNext_ || has(kDroppedPieces, piece) || hasPrefixOf(kDroppedPiecePrefixes, piece)) return;
    trackState(piece);
    pending_.push_back(piece);
  }

  void trackState(const std::string& piece) {
    std::string_view name =
        std::string_view(piece).substr(std::min(piece.find_first_not_of('-'), piece.size()));
    if (name == "whole-archive") whole_ = true;
    if (name == "no-whole-archive") whole_ = false;
    if (name == "push-state") saved_.push_back(whole_);
    if (name != "pop-state" || saved_.empty()) return;
    whole_ = saved_.back();
    saved_.pop_back();
  }

  // -Xlinker keeps a piece that has a comma in it whole, which -Wl would not.
  void flushPieces() {
    for (const std::string& piece : pending_) {
      words_.push_back({"-Xlinker", std::nullopt, whole_});
      words_.push_back({piece, std::nullopt, whole_});
    }
    pending_.clear();
  }

  const LinkRecord& link_;
  size_t next_ = 0;
  bool whole_ = false;
  bool dropNext_ = false;
  std::vector<bool> saved_;
  std::vector<std::string> pending_;
  std::vector<LinkWord> words_;
};

} // namespace

std::vector<LinkWord> linkWords(const LinkRecord& link) { return Splitter(link).split(); }

} // namespace faultline::compiler
