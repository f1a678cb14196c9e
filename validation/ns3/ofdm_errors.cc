// Chances that 1500 bytes are received without error, of ns-3's NistErrorRateModel: "mbps,snr_db,success".
//
// The ratio is that of powers in the 20 MHz of the channel. Asks only the public interface of the ns-3 library:
//
//   g++ -std=c++17 ofdm_errors.cc -o ofdm_errors $(pkg-config --cflags --libs ns3-wifi ns3-network ns3-core)
//   ./ofdm_errors

#include <cmath>
#include <cstdio>
#include <string>

#include "ns3/core-module.h"
#include "ns3/wifi-module.h"

using namespace ns3;

int main()
{
    Ptr<NistErrorRateModel> model = CreateObject<NistErrorRateModel>();
    std::puts("mbps,snr_db,success");
    for (const int mbps : {6, 9, 12, 18, 24, 36, 48, 54})
    {
        const WifiMode mode("OfdmRate" + std::to_string(mbps) + "Mbps");
        WifiTxVector vector;
        vector.SetMode(mode);
        vector.SetChannelWidth(20);
        for (int halves = -10; halves <= 60; ++halves)
        {
            const double db = halves / 2.0;
            const double success = model->GetChunkSuccessRate(mode, vector, std::pow(10, db / 10), 1500 * 8);
            std::printf("%d,%.1f,%.12g\n", mbps, db, success);
        }
    }
    return 0;
}
