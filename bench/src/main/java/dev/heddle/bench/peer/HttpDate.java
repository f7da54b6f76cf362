// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/// The value of HTTP's Date header, made once a second, for servers that leave it to their user.
///
/// **Thread** any: whoever sees the old value a moment longer tells the time of a moment ago.
final class HttpDate {
  private volatile Stamp last = new Stamp(-1, "");

  String now() {
    long second = System.currentTimeMillis() / 1000;
    Stamp stamp = last;
    if (stamp.second != second) {
      stamp =
          new Stamp(
              second,
              DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC)));
      last = stamp;
    }
    return stamp.text;
  }

  private record Stamp(long second, String text) {}
}
