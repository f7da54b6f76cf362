// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

/// When requests are due, and how long each took from then on.
///
/// A client that waits for an answer before it asks again asks less often while a server is slow:
/// the slow moments are left out (coordinated omission). Here every request has a time at which it
/// is due, given before the round begins. Its latency counts from that time, also when the client
/// or the server was late with others before it.
///
/// **Thread** one. The clock is the caller's.
public final class Schedule {
  private final double interval; // nanoseconds
  private final long begin;
  private final long total;
  private long given; // requests

  /// So many requests, the first one due at `begin`.
  public Schedule(long begin, double interval, long total) {
    this.begin = begin;
    this.interval = interval;
    this.total = total;
  }

  /// How many requests are due at `now` that were not given before, and gives them.
  public int due(long now) {
    if (now < begin) {
      return 0;
    }
    long until = Math.min(total, (long) ((now - begin) / interval) + 1);
    int due = Math.toIntExact(until - given);
    given = until;
    return due;
  }

  /// When a request is due, counted from 0.
  public long time(long request) {
    return begin + (long) (request * interval);
  }

  /// Whether all requests were given.
  public boolean isOver() {
    return given == total;
  }
}
