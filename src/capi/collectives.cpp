// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/group.hpp"
#include "conccl/core/data_type.hpp"

namespace conccl::capi {
namespace {

static_assert(static_cast<int>(DataType::int8) == concclInt8 &&
              static_cast<int>(DataType::uint8) == concclUint8 &&
              static_cast<int>(DataType::int32) == concclInt32 &&
              static_cast<int>(DataType::uint32) == concclUint32 &&
              static_cast<int>(DataType::int64) == concclInt64 &&
              static_cast<int>(DataType::uint64) == concclUint64 &&
              static_cast<int>(DataType::float16) == concclFloat16 &&
              static_cast<int>(DataType::float32) == concclFloat32 &&
              static_cast<int>(DataType::float64) == concclFloat64 &&
              static_cast<int>(DataType::bfloat16) == concclBfloat16);

/// Throws InputError for a number that is no type.
DataType type_of(concclDataType_t type) {
  const auto known = static_cast<DataType>(type);
  (void)size_of(known);
  return known;
}

using Collective = void (comm::Communicator::*)(const void*, void*, std::uint64_t, DataType,
                                                backend::Queue&);

/// The arguments that every collective has.
struct Arguments {
  const void* send;
  void* recv;
  std::uint64_t count;
  concclDataType_t type;
};

concclResult_t call(std::string_view function, Collective collective, const Arguments& arguments,
                    concclComm_t comm, concclStream_t stream) noexcept {
  return note_in_group(guarded_on(comm, function, [&](const std::shared_ptr<Comm>& known) {
    const auto enqueued = known->stream(stream, function);
    keep_for_group(known, enqueued);
    (known->communicator().*collective)(arguments.send, arguments.recv, arguments.count,
                                        type_of(arguments.type), *enqueued->queue);
  }));
}

}  // namespace
}  // namespace conccl::capi

using namespace conccl;
using namespace conccl::capi;

// NOLINTBEGIN(readability-function-size): as many arguments as NCCL's

concclResult_t concclAllGather(const void* sendbuff, void* recvbuff, size_t sendcount,
                               concclDataType_t datatype, concclComm_t comm,
                               concclStream_t stream) {
  return call("concclAllGather", &comm::Communicator::all_gather,
              {sendbuff, recvbuff, sendcount, datatype}, comm, stream);
}

concclResult_t concclAlltoAll(const void* sendbuff, void* recvbuff, size_t count,
                              concclDataType_t datatype, concclComm_t comm, concclStream_t stream) {
  return call("concclAlltoAll", &comm::Communicator::all_to_all,
              {sendbuff, recvbuff, count, datatype}, comm, stream);
}

// NOLINTEND(readability-function-size)
