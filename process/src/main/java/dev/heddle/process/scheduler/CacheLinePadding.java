// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

/// Two cache lines in front of the fields of an object that a worker writes for each task, or that
/// all workers read for each task.
///
/// Without them such an object shares a line with its neighbour in memory, and each write of one
/// worker takes that line away from another one, which uses the neighbour. Who is the neighbour of
/// whom changes with each garbage collection: it copies what the workers use to one place. So a
/// program becomes slow, or fast again, for no reason of its own: in 16 JVMs with 64 pairs of
/// processes on two workers, a message to and fro took 75 to 300 ns. With this padding it took 81
/// to 140 ns, and 251 in one.
///
/// The JVM lays out the fields of a class behind those of its superclass, but for one gap: behind a
/// header of 12 bytes, in front of the first long. An int fills that, or a field of the subclass
/// would be there. Two lines, since processors fetch them in pairs. None is behind the fields: the
/// next object has its own in front, if it is one of these.
abstract class CacheLinePadding {
  int gap;
  long p00;
  long p01;
  long p02;
  long p03;
  long p04;
  long p05;
  long p06;
  long p07;
  long p08;
  long p09;
  long p10;
  long p11;
  long p12;
  long p13;
  long p14;
  long p15;
}
