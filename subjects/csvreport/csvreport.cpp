// csvreport: groups the rows of a CSV file and prints a table.
//
//   csvreport FILE --by COLUMN [--sum COLUMN] [--mean COLUMN] [--max COLUMN] [--where COLUMN=TEXT] [--sort
//   COLUMN] [--top N]
//
// The first row has the names. Fields may be quoted ("a ""b"", c"). --sort orders by a column of the result,
// the largest first; otherwise groups stand in the order of their names. Status 1 if a column is missing or a
// number is none.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Row = std::vector<std::string>;

struct Table {
  Row names;
  std::vector<Row> rows;
};

struct Total {
  std::string what; // sum, mean, max
  std::string column;
};

struct Query {
  std::string file;
  std::string by;
  std::vector<Total> totals;
  std::string whereColumn, whereText;
  std::string sortBy;
  size_t top = 0;
};

struct Cells {
  std::string group;
  std::vector<double> values;
  std::vector<long> counts;
  long rows = 0;
};

// One record; quoted fields may have line ends in them.
bool readRow(std::istream& in, Row& row) {
  row.clear();
  std::string field;
  bool isQuoted = false, isAny = false;
  for (int c = in.get(); c != EOF; c = in.get()) {
    isAny = true;
    if (isQuoted) {
      if (c != '"') {
        field += static_cast<char>(c);
      } else if (in.peek() == '"') {
        field += static_cast<char>(in.get());
      } else {
        isQuoted = false;
      }
      continue;
    }
    if (c == '"') {
      isQuoted = true;
    } else if (c == ',') {
      row.push_back(field);
      field.clear();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      field += static_cast<char>(c);
    }
  }
  if (isQuoted) throw std::runtime_error("a quoted field does not end");
  if (isAny) row.push_back(field);
  return isAny;
}

Table readTable(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot open " + file);
  Table table;
  readRow(in, table.names);
  for (Row row; readRow(in, row);) {
    if (row.size() == 1 && row[0].empty()) continue;
    row.resize(table.names.size());
    table.rows.push_back(row);
  }
  return table;
}

size_t column(const Table& table, const std::string& name) {
  auto at = std::find(table.names.begin(), table.names.end(), name);
  if (at == table.names.end()) throw std::runtime_error("no column " + name);
  return static_cast<size_t>(at - table.names.begin());
}

std::optional<double> number(const std::string& text) {
  if (text.empty()) return std::nullopt;
  size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used != text.size()) throw std::runtime_error("not a number: " + text);
  return value;
}

void add(Cells& cells, size_t n, const std::string& what, double value) {
  if (what == "max")
    cells.values[n] = cells.counts[n] == 0 ? value : std::max(cells.values[n], value);
  else
    cells.values[n] += value;
  cells.counts[n]++;
}

std::vector<Cells> group(const Table& table, const Query& query) {
  size_t by = column(table, query.by);
  std::optional<size_t> where;
  if (!query.whereColumn.empty()) where = column(table, query.whereColumn);
  std::vector<size_t> columns;
  for (const Total& total : query.totals) columns.push_back(column(table, total.column));
  std::map<std::string, Cells> groups;
  for (const Row& row : table.rows) {
    if (where && row[*where] != query.whereText) continue;
    Cells& cells = groups[row[by]];
    if (cells.rows++ == 0) {
      cells.group = row[by];
      cells.values.resize(columns.size());
      cells.counts.resize(columns.size());
    }
    for (size_t n = 0; n < columns.size(); n++)
      if (auto value = number(row[columns[n]])) add(cells, n, query.totals[n].what, *value);
  }
  std::vector<Cells> result;
  for (auto& [name, cells] : groups) result.push_back(cells);
  return result;
}

void finish(std::vector<Cells>& groups, const Query& query) {
  for (Cells& cells : groups)
    for (size_t n = 0; n < query.totals.size(); n++)
      if (query.totals[n].what == "mean" && cells.counts[n] > 0)
        cells.values[n] /= static_cast<double>(cells.counts[n]);
}

std::string title(const Total& total) { return total.what + " " + total.column; }

void order(std::vector<Cells>& groups, const Query& query) {
  if (query.sortBy.empty()) return;
  for (size_t n = 0; n < query.totals.size(); n++) {
    if (query.totals[n].column != query.sortBy) continue;
    std::stable_sort(groups.begin(), groups.end(),
                     [n](const Cells& a, const Cells& b) { return a.values[n] > b.values[n]; });
    return;
  }
  throw std::runtime_error("cannot sort by " + query.sortBy);
}

std::string shown(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

void print(const std::vector<Cells>& groups, const Query& query) {
  std::vector<Row> lines;
  Row head = {query.by, "rows"};
  for (const Total& total : query.totals) head.push_back(title(total));
  lines.push_back(head);
  for (const Cells& cells : groups) {
    if (query.top > 0 && lines.size() > query.top) break;
    Row line = {cells.group, std::to_string(cells.rows)};
    for (size_t n = 0; n < cells.values.size(); n++)
      line.push_back(cells.counts[n] ? shown(cells.values[n]) : "-");
    lines.push_back(line);
  }
  std::vector<size_t> widths(head.size());
  for (const Row& line : lines)
    for (size_t n = 0; n < line.size(); n++) widths[n] = std::max(widths[n], line[n].size());
  for (const Row& line : lines) {
    std::string text = line[0] + std::string(widths[0] - line[0].size(), ' ');
    for (size_t n = 1; n < line.size(); n++)
      text += "  " + std::string(widths[n] - line[n].size(), ' ') + line[n];
    std::cout << text << '\n';
  }
}

Query parse(int argc, char** argv) {
  Query query;
  for (int i = 1; i < argc; i++) {
    std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      query.file = word;
      continue;
    }
    if (i + 1 == argc) throw std::runtime_error(word + " needs a word");
    std::string next = argv[++i];
    if (word == "--by") {
      query.by = next;
    } else if (word == "--sum" || word == "--mean" || word == "--max") {
      query.totals.push_back({word.substr(2), next});
    } else if (word == "--where") {
      size_t equals = next.find('=');
      if (equals == std::string::npos) throw std::runtime_error("--where needs COLUMN=TEXT");
      query.whereColumn = next.substr(0, equals);
      query.whereText = next.substr(equals + 1);
    } else if (word == "--sort") {
      query.sortBy = next;
    } else if (word == "--top") {
      query.top = std::stoul(next);
    } else {
      throw std::runtime_error("unknown: " + word);
    }
  }
  return query;
}

} // namespace

int main(int argc, char** argv) {
  try {
    Query query = parse(argc, argv);
    Table table = readTable(query.file);
    std::vector<Cells> groups = group(table, query);
    finish(groups, query);
    order(groups, query);
    print(groups, query);
  } catch (const std::exception& error) {
    std::cout << "csvreport: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
