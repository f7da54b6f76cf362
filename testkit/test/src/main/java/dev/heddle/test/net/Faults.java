// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

/// What goes wrong by itself, and how often: probabilities from 0 to 1, drawn from the simulation's
/// seed.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=faults}
///
/// @param datagramLoss of a datagram: it does not arrive
/// @param datagramDuplication of a datagram: it arrives twice
/// @param segmentLoss of a piece of a stream: it comes later, as TCP sends it again
/// @param reset of a piece of a stream: instead of it, both ends get a reset
/// @param shortRead of a read: it gets a part of what is there
/// @param shortWrite of a write: it takes a part of what there is room for
/// @param nameFailure of the look-up of a name: the name server does not answer
public record Faults(
    double datagramLoss,
    double datagramDuplication,
    double segmentLoss,
    double reset,
    double shortRead,
    double shortWrite,
    double nameFailure) {
  /// Checks the probabilities.
  ///
  /// @throws IllegalArgumentException when one of them is less than 0 or greater than 1
  public Faults {
    requireProbability("datagramLoss", datagramLoss);
    requireProbability("datagramDuplication", datagramDuplication);
    requireProbability("segmentLoss", segmentLoss);
    requireProbability("reset", reset);
    requireProbability("shortRead", shortRead);
    requireProbability("shortWrite", shortWrite);
    requireProbability("nameFailure", nameFailure);
  }

  static void requireProbability(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " is a probability, from 0 to 1, not " + value);
    }
  }

  /// Nothing goes wrong.
  public static Faults none() {
    return new Faults(0, 0, 0, 0, 0, 0, 0);
  }

  /// What an application has to live with on any network: datagrams are lost and doubled, streams
  /// come in other pieces than they were written, and late. No connection breaks.
  public static Faults usual() {
    return new Faults(0.02, 0.01, 0.02, 0, 0.2, 0.2, 0);
  }

  /// A bad day: connections break, too, and names are not found.
  public static Faults severe() {
    return new Faults(0.2, 0.05, 0.1, 0.005, 0.5, 0.5, 0.05);
  }

  public Faults withDatagramLoss(double changed) {
    return new Faults(
        changed, datagramDuplication, segmentLoss, reset, shortRead, shortWrite, nameFailure);
  }

  public Faults withDatagramDuplication(double changed) {
    return new Faults(
        datagramLoss, changed, segmentLoss, reset, shortRead, shortWrite, nameFailure);
  }

  public Faults withSegmentLoss(double changed) {
    return new Faults(
        datagramLoss, datagramDuplication, changed, reset, shortRead, shortWrite, nameFailure);
  }

  public Faults withReset(double changed) {
    return new Faults(
        datagramLoss,
        datagramDuplication,
        segmentLoss,
        changed,
        shortRead,
        shortWrite,
        nameFailure);
  }

  public Faults withShortRead(double changed) {
    return new Faults(
        datagramLoss, datagramDuplication, segmentLoss, reset, changed, shortWrite, nameFailure);
  }

  public Faults withShortWrite(double changed) {
    return new Faults(
        datagramLoss, datagramDuplication, segmentLoss, reset, shortRead, changed, nameFailure);
  }

  public Faults withNameFailure(double changed) {
    return new Faults(
        datagramLoss, datagramDuplication, segmentLoss, reset, shortRead, shortWrite, changed);
  }
}
