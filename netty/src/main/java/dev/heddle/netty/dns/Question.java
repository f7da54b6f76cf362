// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import io.netty.handler.codec.dns.DnsRecordType;

/// What a name server is asked for.
///
/// @param name complete, in lower case, without a dot at its end
record Question(String name, DnsRecordType type) {
  @Override
  public String toString() {
    return type.name() + " of " + name;
  }
}
