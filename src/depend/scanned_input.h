// Which bytes of its input a conversion of scanf took is known only to one who has them (inputs.h). Until
// then the n-th conversion's bytes stand, as bytes of what the call took, at addresses of their own.
//
//   scanf("%d %s", &n, s)     n from pieceAddress(0), kPieceSize bytes; s from pieceAddress(1)
#pragma once

#include <cstdint>

namespace faultline::depend {

inline constexpr uint64_t kPieces = uint64_t(1) << 62, kPieceSize = uint64_t(1) << 32;

// number: from 0, of those that store something.
constexpr uint64_t pieceAddress(uint64_t number) { return kPieces + number * kPieceSize; }
constexpr bool isPiece(uint64_t from) { return from >= kPieces; }
constexpr uint64_t pieceNumber(uint64_t from) { return (from - kPieces) / kPieceSize; }

} // namespace faultline::depend
