// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.Registration;
import dev.heddle.test.net.Faults;
import dev.heddle.test.net.NetworkEvent;
import dev.heddle.test.net.NetworkEvent.Kind;
import dev.heddle.test.time.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// What everything in a network shares: its time, its chance, its faults, and those who look on.
///
/// **Thread** that of the loop whose turn it is.
final class Traffic {
  private final Timeline clock;
  private final Chance chance;
  private final List<Consumer<? super NetworkEvent>> observers = new ArrayList<>();
  private Faults faults = Faults.defaults();
  private long fingerprint;

  Traffic(Timeline clock, long seed) {
    this.clock = clock;
    this.chance = new Chance(seed);
  }

  Timeline clock() {
    return clock;
  }

  Chance chance() {
    return chance;
  }

  Faults faults() {
    return faults;
  }

  void setFaults(Faults changed) {
    faults = changed;
  }

  void later(long nanos, Runnable action) {
    clock.schedule(clock.nanoTime() + nanos, action);
  }

  Registration observe(Consumer<? super NetworkEvent> observer) {
    observers.add(observer);
    return () -> observers.remove(observer);
  }

  long fingerprint() {
    return fingerprint;
  }

  /// Something without bytes has happened.
  void report(Kind kind, String from, String to) {
    report(kind, from, to, new byte[0]);
  }

  void report(Kind kind, String from, String to, byte[] bytes) {
    int hash = bytes.length == 0 ? 0 : java.util.Arrays.hashCode(bytes);
    NetworkEvent event = new NetworkEvent(clock.nanoTime(), kind, from, to, bytes.length, hash);
    // not of the record: the hash code of an enum differs from run to run
    fingerprint = fingerprint * 31 + event.toString().hashCode();
    observers.forEach(observer -> observer.accept(event));
  }
}
