// What libfaultline_ir.so gives to those who open it.
#include "compiler/ir/archive_members.h"
#include "compiler/ir/codegen_module.h"
#include "compiler/ir/response_files.h"
#include "compiler/ir/variant_unit.h"
#include "compiler/ir_tools.h"

using namespace faultline::compiler;

extern "C" {
extern const IrTools faultline_ir;
__attribute__((visibility("default"))) const IrTools faultline_ir = {
    .namesOf = namesOf,
    .makeVariantUnit = makeVariantUnit,
    .writeCodegenModule = writeCodegenModule,
    .withAssembly = withAssembly,
    .hashInBitcode = hashInBitcode,
    .forEachMember = forEachMember,
    .expandedWords = expandedWords,
};
}
