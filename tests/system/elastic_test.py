"""A training that loses a rank goes on with those that are left, with the bits of one that did
not: whatever rank it is, and whenever."""

import os
import random

from elastic import LAYOUTS, STEPS, Elastic, Kill
from support import main

KILLS = int(os.environ.get("LINERATE_KILLS", "4"))  # 20 in the full suite
SEED = int(os.environ.get("LINERATE_SEED", "18"))


class Kills(Elastic):
    def test_goes_on_wherever_a_rank_is_killed(self):
        rng = random.Random(SEED)
        recovery_s, lost_steps = [], []
        for number in range(KILLS):
            kill = Kill(rng.randrange(1, STEPS - 4), rng.uniform(0, 0.2), (rng.randrange(8),))
            self.folder = self.folder.with_name(f"saved-{number}")
            self.jsonl = self.jsonl.with_name(f"run-{number}.jsonl")
            self.save[1] = str(self.folder)
            with self.subTest(number=number, kill=kill):
                code, said = self.train_through([kill], LAYOUTS[number % len(LAYOUTS)])
                self.assertEqual(code, 0, said)
                [recovery] = self.lines("recovery")
                self.assertEqual(recovery["lost_ranks"], list(kill.children))
                self.assertEqual((recovery["nranks_before"], recovery["ranks_left"]), (8, 7))
                self.assertGreaterEqual(recovery["resumed_step"] + recovery["steps_lost"],
                                        kill.step)
                self.assertGreaterEqual(recovery["resumed_step"], (kill.step - 1) // 4 * 4 - 4)
                self.check_losses()
                recovery_s.append(recovery["recovery_s"])
                lost_steps.append(recovery["steps_lost"])
        print(f"\n{KILLS} kills: recovered in {min(recovery_s):.2f} to {max(recovery_s):.2f} s, "
              f"{min(lost_steps)} to {max(lost_steps)} steps lost")


if __name__ == "__main__":
    main()
