// faultline worker FOLDER CHUNK: what a task of a cluster does (experiment/slurm_executor.h). Not for users.
#include "cli/context.h"
#include "experiment/chunk.h"

namespace faultline::cli {

void addWorker(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("worker", "Run a chunk of experiments for another process");
  command->group(""); // not listed
  struct Words {
    std::string folder;
    size_t chunk = 0;
  };
  auto words = std::make_shared<Words>();
  command->add_option("folder", words->folder)->required();
  command->add_option("chunk", words->chunk)->required();
  command->callback([words, &context] {
    context.run([&]() -> Result<int> {
      FL_CHECK(experiment::ChunkFolder(words->folder).runChunk(words->chunk));
      return kAnswered;
    });
  });
}

} // namespace faultline::cli
