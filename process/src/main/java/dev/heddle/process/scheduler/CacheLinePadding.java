// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

/// Two cache lines in front of the fields of an object that a worker writes for each task, or that
/// all workers read for each task.
///
/// Without them such an object shares a line with its neighbour in memory, and each write of one
/// worker takes that line away from another one, which uses the neighbour. Who is the neighbour of
/// whom changes with each garbage collection: it copies what the workers use to one place. So a
/// program becomes slower, or faster again, for no reason of its own.
///
/// The JVM lays out the fields of a class behind those of its superclass, but for one gap: behind a
/// header of 12 bytes, in front of the first long. An int fills that, or a field of the subclass
/// would be there. Two lines, since processors fetch them in pairs. None is behind the fields, so a
/// neighbour that is not one of these may share the line of the last ones; padding on both sides
/// was not faster.
///
/// It is inherited, since only that places fields in front of those of another class. The
/// annotation `@Contended` needs an option of the JVM, which a library cannot set.
@SuppressWarnings("unused") // they take up space
abstract class CacheLinePadding {
  private int gap;
  private long p00;
  private long p01;
  private long p02;
  private long p03;
  private long p04;
  private long p05;
  private long p06;
  private long p07;
  private long p08;
  private long p09;
  private long p10;
  private long p11;
  private long p12;
  private long p13;
  private long p14;
  private long p15;
}
