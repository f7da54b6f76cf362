// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import io.netty.handler.codec.dns.DnsRecordType;

/// A question to a name server.
///
/// @param name fully qualified, in lower case, without a trailing dot
record Question(String name, DnsRecordType type) {
  @Override
  public String toString() {
    return type.name() + " of " + name;
  }
}
