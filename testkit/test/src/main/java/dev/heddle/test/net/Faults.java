// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import java.util.function.Consumer;

/// What goes wrong by itself on the links of a simulated network, and how often: probabilities from
/// 0 to 1, drawn from the simulation's seed. An immutable value; start from [#defaults()] and
/// change what matters.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=faults}
///
/// @since 0.1
public final class Faults {
  // effectively final: written only before the object leaves this class
  private double datagramLoss;
  private double datagramDuplication;
  private double segmentLoss;
  private double reset;
  private double shortRead;
  private double shortWrite;
  private double nameFailure;

  private Faults() {}

  private Faults(Faults from) {
    datagramLoss = from.datagramLoss;
    datagramDuplication = from.datagramDuplication;
    segmentLoss = from.segmentLoss;
    reset = from.reset;
    shortRead = from.shortRead;
    shortWrite = from.shortWrite;
    nameFailure = from.nameFailure;
  }

  /// The defaults: nothing goes wrong.
  public static Faults defaults() {
    return new Faults();
  }

  /// What an application has to live with on any network: datagrams are lost and doubled, streams
  /// come in other pieces than they were written, and late. No connection breaks.
  public static Faults usual() {
    return defaults()
        .withDatagramLoss(0.02)
        .withDatagramDuplication(0.01)
        .withSegmentLoss(0.02)
        .withShortRead(0.2)
        .withShortWrite(0.2);
  }

  /// A bad day: connections break, too, and names are not found.
  public static Faults severe() {
    return defaults()
        .withDatagramLoss(0.2)
        .withDatagramDuplication(0.05)
        .withSegmentLoss(0.1)
        .withReset(0.005)
        .withShortRead(0.5)
        .withShortWrite(0.5)
        .withNameFailure(0.05);
  }

  // ---- values ----

  /// The probability that a datagram does not arrive; default 0.
  public double datagramLoss() {
    return datagramLoss;
  }

  /// The probability that a datagram arrives twice; default 0.
  public double datagramDuplication() {
    return datagramDuplication;
  }

  /// The probability that a piece of a stream comes later, as TCP sends it again; default 0.
  public double segmentLoss() {
    return segmentLoss;
  }

  /// The probability that both ends of a stream get a reset instead of a piece of it; default 0.
  public double reset() {
    return reset;
  }

  /// The probability that a read gets a part of what is there; default 0.
  public double shortRead() {
    return shortRead;
  }

  /// The probability that a write takes a part of what there is room for; default 0.
  public double shortWrite() {
    return shortWrite;
  }

  /// The probability that the name server does not answer a look-up; default 0.
  public double nameFailure() {
    return nameFailure;
  }

  // ---- copies with another value ----

  /// The same with another probability that a datagram does not arrive.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public Faults withDatagramLoss(double changed) {
    requireProbability("datagramLoss", changed);
    return with(copy -> copy.datagramLoss = changed);
  }

  /// The same with another probability that a datagram arrives twice.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public Faults withDatagramDuplication(double changed) {
    requireProbability("datagramDuplication", changed);
    return with(copy -> copy.datagramDuplication = changed);
  }

  /// The same with another probability that a piece of a stream comes later.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public Faults withSegmentLoss(double changed) {
    requireProbability("segmentLoss", changed);
    return with(copy -> copy.segmentLoss = changed);
  }

  /// The same with another probability that both ends of a stream get a reset.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public Faults withReset(double changed) {
    requireProbability("reset", changed);
    return with(copy -> copy.reset = changed);
  }

  /// The same with another probability that a read gets a part of what is there.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public Faults withShortRead(double changed) {
    requireProbability("shortRead", changed);
    return with(copy -> copy.shortRead = changed);
  }

  /// The same with another probability that a write takes a part of what there is room for.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public Faults withShortWrite(double changed) {
    requireProbability("shortWrite", changed);
    return with(copy -> copy.shortWrite = changed);
  }

  /// The same with another probability that the name server does not answer a look-up.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public Faults withNameFailure(double changed) {
    requireProbability("nameFailure", changed);
    return with(copy -> copy.nameFailure = changed);
  }

  private Faults with(Consumer<Faults> change) {
    Faults copy = new Faults(this);
    change.accept(copy);
    return copy;
  }

  static void requireProbability(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " is a probability, from 0 to 1, not " + value);
    }
  }
}
