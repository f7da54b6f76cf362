// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

/// Checks whether the stack has room for an operation that must not stop half-way.
public final class StackGuard {
  /*
   * Java cannot read the stack pointer. But an interpreted method with many locals needs room for
   * all of them when it is called, and throws StackOverflowError before it does anything. Compiled,
   * it has no such frame but checks all the same: compiled code may be deoptimised to the
   * interpreter, so on entry HotSpot's compiled code touches each page of the stack that the
   * interpreter frames would need. That takes a nanosecond or two, and nothing if the probe is
   * inlined into a caller, which then checks on its own entry. It is paid at each wait, at each
   * spawn, and when a tick has work to do.
   *
   * Inlining. If a probe is inlined, the method that throws is its caller, on entry, or the caller
   * of that. Where an error means "later" or "no", that is wrong: it passes the handler, and ends
   * what was under way, as a tick. HotSpot inlines no method of more than 325 bytes
   * (FreqInlineSize; C1: 35), so probes go through methods of more. A wait of a coroutine takes 145
   * instead of 152 ns with a probe that may be inlined; if its handler is passed, subscriptions
   * are left, which the next wait or the end of the coroutine drops.
   * [StackGuardTest#question*, LoopExecutorTest#arrivals_atTheEndOfAStack*]
   *
   * What a probe needs. A branch that is never taken; without one there is no deoptimisation. An
   * argument that compilers do not know; otherwise they see that the branch is never taken
   * (NOTHING). A frame of its own for each size: the room that is checked must not depend on
   * inlining. More than a page.
   *
   * What has to fit. A tick's work 1.6 KB, arming 0.8: wide(). What another module does in one
   * piece, including a probe of its own: ample(). The critical case is an optimised probe before
   * interpreted work. [StackGuardTest, StackOverflowTest, StackEndTest]
   *
   * Limits. If pages are larger than 4 KiB, a compiled probe checks nothing.
   *
   * Rejected. Recursion of some frames made wide by the arguments they pass on: 200 ns for arming,
   * 900 for ample(). The same by the arguments of a call that only the lowest frame makes: 30 and
   * 65.
   */
  // in an array: if compilers knew that it is 0, they could omit the frame
  private static final int[] NOTHING = {0};

  private StackGuard() {}

  /// Throws unless there is room for an operation of up to 4 KiB, as the arming of an event.
  public static void requireRoom() {
    wideApart(NOTHING[0]);
  }

  /// As [#requireRoom], but a method that calls this one, or a caller of it, may throw on entry.
  public static void requireRoomOnEntry() {
    wide(NOTHING[0]);
  }

  /// Throws unless there is room for an operation that calls [#requireRoom] itself, as a tick.
  public static void requireAmpleRoom() {
    ampleApart(NOTHING[0]);
  }

  /// Whether there is room for an operation that calls [#requireRoom] itself, as a tick.
  public static boolean hasAmpleRoom() {
    try {
      ampleApart(NOTHING[0]);
      return true;
    } catch (StackOverflowError _) {
      return false; // safe: nothing has been changed yet
    }
  }

  private static void wideApart(int nothing) {
    switch (nothing) { // a table of 85 jumps: 340 bytes
      case 1, 6, 11, 16, 21, 26, 31, 36, 41, 46, 51, 56, 61, 66, 71, 76, 81, 83, 85 ->
          throw new IllegalArgumentException("this is only a look: " + nothing);
      default -> wide(nothing);
    }
  }

  private static void ampleApart(int nothing) {
    switch (nothing) { // as above
      case 1, 6, 11, 16, 21, 26, 31, 36, 41, 46, 51, 56, 61, 66, 71, 76, 81, 83, 85 ->
          throw new IllegalArgumentException("this is only a look: " + nothing);
      default -> ample(nothing);
    }
  }

  // 4 KiB: 256 longs
  @SuppressWarnings("unused") // the locals only take room
  private static void wide(int nothing) {
    long a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D;
    long E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z, a0, b0, c0, d0, e0, f0;
    long g0, h0, i0, j0, k0, l0, m0, n0, o0, p0, q0, r0, s0, t0, u0, v0, w0, x0, y0, z0, A0, B0, C0;
    long D0, E0, F0, G0, H0, I0, J0, K0, L0, M0, N0, O0, P0, Q0, R0, S0, T0, U0, V0, W0, X0, Y0, Z0;
    long a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, k1, l1, m1, n1, o1, p1, q1, r1, s1, t1, u1, v1, w1;
    long x1, y1, z1, A1, B1, C1, D1, E1, F1, G1, H1, I1, J1, K1, L1, M1, N1, O1, P1, Q1, R1, S1, T1;
    long U1, V1, W1, X1, Y1, Z1, a2, b2, c2, d2, e2, f2, g2, h2, i2, j2, k2, l2, m2, n2, o2, p2, q2;
    long r2, s2, t2, u2, v2, w2, x2, y2, z2, A2, B2, C2, D2, E2, F2, G2, H2, I2, J2, K2, L2, M2, N2;
    long O2, P2, Q2, R2, S2, T2, U2, V2, W2, X2, Y2, Z2, a3, b3, c3, d3, e3, f3, g3, h3, i3, j3, k3;
    long l3, m3, n3, o3, p3, q3, r3, s3, t3, u3, v3, w3, x3, y3, z3, A3, B3, C3, D3, E3, F3, G3, H3;
    long I3, J3, K3, L3, M3, N3, O3, P3, Q3, R3, S3, T3, U3, V3;
    if (nothing != 0) {
      throw new IllegalArgumentException("this is only a look: " + nothing);
    }
  }

  // 8 KiB, also in one frame: the size must not depend on inlining
  @SuppressWarnings("unused") // the same
  private static void ample(int nothing) {
    long a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D;
    long E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z, a0, b0, c0, d0, e0, f0;
    long g0, h0, i0, j0, k0, l0, m0, n0, o0, p0, q0, r0, s0, t0, u0, v0, w0, x0, y0, z0, A0, B0, C0;
    long D0, E0, F0, G0, H0, I0, J0, K0, L0, M0, N0, O0, P0, Q0, R0, S0, T0, U0, V0, W0, X0, Y0, Z0;
    long a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, k1, l1, m1, n1, o1, p1, q1, r1, s1, t1, u1, v1, w1;
    long x1, y1, z1, A1, B1, C1, D1, E1, F1, G1, H1, I1, J1, K1, L1, M1, N1, O1, P1, Q1, R1, S1, T1;
    long U1, V1, W1, X1, Y1, Z1, a2, b2, c2, d2, e2, f2, g2, h2, i2, j2, k2, l2, m2, n2, o2, p2, q2;
    long r2, s2, t2, u2, v2, w2, x2, y2, z2, A2, B2, C2, D2, E2, F2, G2, H2, I2, J2, K2, L2, M2, N2;
    long O2, P2, Q2, R2, S2, T2, U2, V2, W2, X2, Y2, Z2, a3, b3, c3, d3, e3, f3, g3, h3, i3, j3, k3;
    long l3, m3, n3, o3, p3, q3, r3, s3, t3, u3, v3, w3, x3, y3, z3, A3, B3, C3, D3, E3, F3, G3, H3;
    long I3, J3, K3, L3, M3, N3, O3, P3, Q3, R3, S3, T3, U3, V3, W3, X3, Y3, Z3, a4, b4, c4, d4, e4;
    long f4, g4, h4, i4, j4, k4, l4, m4, n4, o4, p4, q4, r4, s4, t4, u4, v4, w4, x4, y4, z4, A4, B4;
    long C4, D4, E4, F4, G4, H4, I4, J4, K4, L4, M4, N4, O4, P4, Q4, R4, S4, T4, U4, V4, W4, X4, Y4;
    long Z4, a5, b5, c5, d5, e5, f5, g5, h5, i5, j5, k5, l5, m5, n5, o5, p5, q5, r5, s5, t5, u5, v5;
    long w5, x5, y5, z5, A5, B5, C5, D5, E5, F5, G5, H5, I5, J5, K5, L5, M5, N5, O5, P5, Q5, R5, S5;
    long T5, U5, V5, W5, X5, Y5, Z5, a6, b6, c6, d6, e6, f6, g6, h6, i6, j6, k6, l6, m6, n6, o6, p6;
    long q6, r6, s6, t6, u6, v6, w6, x6, y6, z6, A6, B6, C6, D6, E6, F6, G6, H6, I6, J6, K6, L6, M6;
    long N6, O6, P6, Q6, R6, S6, T6, U6, V6, W6, X6, Y6, Z6, a7, b7, c7, d7, e7, f7, g7, h7, i7, j7;
    long k7, l7, m7, n7, o7, p7, q7, r7, s7, t7, u7, v7, w7, x7, y7, z7, A7, B7, C7, D7, E7, F7, G7;
    long H7, I7, J7, K7, L7, M7, N7, O7, P7, Q7, R7, S7, T7, U7, V7, W7, X7, Y7, Z7, a8, b8, c8, d8;
    long e8, f8, g8, h8, i8, j8, k8, l8, m8, n8, o8, p8, q8, r8, s8, t8, u8, v8, w8, x8, y8, z8, A8;
    long B8, C8, D8, E8, F8, G8, H8, I8, J8, K8, L8, M8, N8, O8, P8, Q8, R8;
    if (nothing != 0) {
      throw new IllegalArgumentException("this is only a look: " + nothing);
    }
  }
}
