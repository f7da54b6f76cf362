// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import dev.heddle.reactor.linux.LinuxCalls;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The environment of a child, as bytes: the variables of this process need not be valid text.
final class SpawnEnvironment {
  private static final Charset BYTES = StandardCharsets.ISO_8859_1; // a character for each byte

  // read once, as in the JDK, because native code may change them at any time
  private static final List<byte[]> INHERITED = inherited();

  private SpawnEnvironment() {}

  /// Each as `name=value`.
  static List<byte[]> of(SpawnPlan plan) {
    List<byte[]> all = new ArrayList<>();
    if (!plan.ownEnvironmentOnly()) {
      for (byte[] variable : INHERITED) {
        if (!isChanged(plan, variable)) {
          all.add(variable);
        }
      }
    }
    plan.environment()
        .forEach((name, value) -> {
          if (value != null) {
            all.add((name + "=" + value).getBytes(LinuxCalls.NAMES));
          }
        });
    return all;
  }

  private static boolean isChanged(SpawnPlan plan, byte[] variable) {
    for (String name : plan.environment().keySet()) {
      byte[] start = (name + "=").getBytes(LinuxCalls.NAMES);
      if (variable.length >= start.length
          && Arrays.equals(variable, 0, start.length, start, 0, start.length)) {
        return true;
      }
    }
    return false;
  }

  @SuppressWarnings("restricted") // `environ` is an array of strings that ends with null
  private static List<byte[]> inherited() {
    MemorySegment environ =
        Linker.nativeLinker()
            .defaultLookup()
            .findOrThrow("environ")
            .reinterpret(ValueLayout.ADDRESS.byteSize())
            .get(ValueLayout.ADDRESS, 0)
            .reinterpret(Long.MAX_VALUE);
    List<byte[]> all = new ArrayList<>();
    for (long i = 0; ; i++) {
      MemorySegment next = environ.getAtIndex(ValueLayout.ADDRESS, i);
      if (next.equals(MemorySegment.NULL)) {
        return List.copyOf(all);
      }
      String variable = next.reinterpret(Long.MAX_VALUE).getString(0, BYTES);
      if (variable.indexOf('=', 1) > 0) { // as in the JDK, malformed entries are dropped
        all.add(variable.getBytes(BYTES));
      }
    }
  }
}
