// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// A file system in small: each thread takes the lock of its inode, and gives the inode a free
/// block. There are 26 locks and 27 threads. Every run fails.
final class FileTable {
  private static final int SIZE = 26;

  private final ReentrantLock[] inodeLocks = locks();
  private final ReentrantLock[] blockLocks = locks();
  private final boolean[] busy = new boolean[SIZE];
  private final int[] inodes = new int[SIZE];

  private static ReentrantLock[] locks() {
    ReentrantLock[] locks = new ReentrantLock[SIZE];
    for (int i = 0; i < SIZE; i++) {
      locks[i] = new ReentrantLock();
    }
    return locks;
  }

  void run(Threads threads) {
    for (int i = 0; i <= SIZE; i++) {
      int inode = i;
      threads.start(() -> create(inode));
    }
  }

  private void create(int inode) {
    inodeLocks[inode].lock();
    try {
      for (int i = 0; i < SIZE / 2 && inodes[inode] == 0; i++) {
        claim(inode, (2 * inode + i) % SIZE);
      }
    } finally {
      inodeLocks[inode].unlock();
    }
  }

  private void claim(int inode, int block) {
    blockLocks[block].lock();
    try {
      if (!busy[block]) {
        busy[block] = true;
        inodes[inode] = block + 1;
      }
    } finally {
      blockLocks[block].unlock();
    }
  }
}
