// Whether a document is as its schema says, by Debian's python3-jsonschema: a validator that is not ours.
#pragma once

#include "support/run.h"

namespace faultline::test {

// Empty: it is. Else what is wrong and where. Closed: a member that the schema does not name is wrong, too.
inline std::string schemaErrors(const std::string& document, const std::string& schemaFile,
                                bool isClosed = false) {
  TempDir dir;
  writeFile(dir / "document.json", document);
  constexpr const char* kScript = R"(
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is missing: scripts/install_packages.sh installs it")
schema, document = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
def close(part):
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else []:
        close(inner)
    if isinstance(part, dict) and part.get("type") == "object" and "properties" in part:
        part["additionalProperties"] = False
if sys.argv[3] == "closed":
    close(schema["$defs"])
kind = jsonschema.validators.validator_for(schema)
kind.check_schema(schema)
errors = sorted(kind(schema).iter_errors(document), key=lambda e: str(e.path))
for e in errors[:5]:
    deepest = jsonschema.exceptions.best_match([e])
    print("/".join(map(str, deepest.absolute_path)) + ": " + deepest.message[:300], file=sys.stderr)
sys.exit(1 if errors else 0)
)";
  // The system's own: Debian's packages are not in another Python that may come first on PATH.
  RunResult got = run(
      {"/usr/bin/python3", "-c", kScript, schemaFile, dir / "document.json", isClosed ? "closed" : "open"});
  return got.status == 0 ? "" : "not valid:\n" + got.err;
}

} // namespace faultline::test
